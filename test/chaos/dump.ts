/** Reads the store after a run, by plain SQL. */
import pg from 'pg'
import type { Stored } from './facts.ts'

const INT8_OID = 20
const types = new pg.TypeOverrides()
types.setTypeParser(INT8_OID, Number)

/** The last text of each contact. */
export async function lastTexts(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  try {
    const { rows } = await client.query<{ contact: string; text: string }>(
      "select distinct on (contact) contact, body::json ->> 'text' as text from entries where type = 'text' order by contact, seq desc",
    )
    return Object.fromEntries(rows.map(({ contact, text }) => [contact, text]))
  } finally {
    await client.end()
  }
}

export async function dumpStore(url: string): Promise<Stored> {
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  // One moment of all tables.
  await client.query('begin isolation level repeatable read')
  const all = async <T>(sql: string): Promise<T[]> => (await client.query(sql)).rows as T[]
  try {
    const [now] = await all<{ at: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint as at',
    )
    return {
      at: now?.at ?? 0,
      contacts: await all('select id, life, head from contacts order by id'),
      entries: await all(
        'select contact, seq, id, type, session, counter, time, body::json as body from entries order by contact, seq',
      ),
      sessions: await all('select contact, session, ended from sessions order by contact, session'),
      timers: await all('select subject, kind, due from timers order by due'),
      files: await all('select id, seq, sha256 from attachments order by id'),
    }
  } finally {
    await client.end()
  }
}
