import type { PhoneRow, PhoneRows } from '../../../service/src/telephony/phone-rows.ts'

/** The rows of the store in memory, as each node sees them. A test compares them with the store's. */
export function memoryRows() {
  const rows = new Map<string, PhoneRow>()
  const dead = new Set<string>()
  const at = (node: string): Pick<PhoneRows, keyof PhoneRows> => {
    const insert = (call: Omit<PhoneRow, 'node'>): boolean => {
      if (rows.has(call.contact)) return false
      rows.set(call.contact, { ...call, node })
      return true
    }
    const held = ({ contact, call }: { contact: string; call: string }): PhoneRow | null => {
      const row = rows.get(contact)
      return row?.call === call && row.node === node ? row : null
    }
    return {
      isOwn: (row) => row.node === node,
      find: async (contact) => rows.get(contact),
      own: async () => [...rows.values()].flatMap((row) => (row.node === node ? [row.contact] : [])),
      claim: async (call) => insert(call),
      remove: async (row) => {
        const found = rows.get(row.contact)
        if (found?.call === row.call && found.node === row.node) rows.delete(row.contact)
      },
      holds: async (_trx, call) => held(call) !== null,
      end: async (_trx, { contact, call, ref }) => {
        if (call === null) return insert({ contact, ref, call: '' })
        const row = held({ contact, call })
        if (row) rows.set(contact, { ...row, call: '' })
        return row !== null
      },
      takeOver: async () => {
        const left = [...rows.values()].filter((row) => dead.has(row.node))
        const taken = left.map((row) => ({ ...row, node }))
        for (const row of taken) rows.set(row.contact, row)
        return taken
      },
    }
  }
  return { rows, at, die: (node: string) => dead.add(node) }
}
