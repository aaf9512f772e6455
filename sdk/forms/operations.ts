import type { GenericCallback } from '../api/callbacks.ts'
import { loaded } from '../async/lazy-module.ts'
import type { Loading } from '../async/lazy-module.ts'
import { runOperation } from '../async/run-operation.ts'
import { later } from '../contact/lazy-modules.ts'
import { asJson } from '../values/arguments.ts'
import type { EditHost, FieldEdit } from './edit-data.ts'

const OPERATION = 'edit the field'

/** Changes a form field. What does so is loaded with the first one. */
export function editData(
  host: EditHost & Loading,
  { form, field, value }: FieldEdit,
  callback: GenericCallback | undefined,
): Promise<void> {
  const editing = async (): Promise<void> => {
    const own = { form, field, value: asJson(OPERATION, value) }
    await (await loaded(OPERATION, later.forms(), host)).editField(host, own)
  }
  return runOperation(OPERATION, editing, callback)
}
