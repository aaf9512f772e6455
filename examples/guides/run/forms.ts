import { createTestContact, settled } from 'duolog/testing'
import { fieldsOf, onCorrection, orderForm } from '../forms.ts'

/** The agent reads the form and corrects a field. */
export async function run(print: (who: string, line: string) => void): Promise<void> {
  const data = orderForm({ number: 'A-4711', phone: '+39000', customerId: 'c-9' })
  const { visitor, agent } = await createTestContact({ contact: { nick: 'Robin', data } })
  for (const field of fieldsOf(agent)) print('agent', field)
  onCorrection(visitor, (field, value) => print('visitor', `${field} is now ${String(value)}`))
  await agent.editData('order', 'phone', '+390000000000')
  await settled()
}
