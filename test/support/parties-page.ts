import type { ProductPage } from './product-page.ts'

/**
 * Code for a page: makes a visitor and an agent there, who accept every offer; `parties`, `streams`,
 * `idle()`, `directions(contact)` and `mirrored()` are then in the window. `options`: code of more options of both.
 */
export const partiesIn = (
  { service, token }: Pick<ProductPage, 'service' | 'token'>,
  options = '',
): string => `
  const { createClient } = await import('${service}/sdk/duolog.js');
  const { createAgent } = await import('${service}/sdk/agent.js');
  const desk = createAgent({ service: '${service}', token: '${token}', ${options} });
  const taken = new Promise((resolve, reject) => desk.on('distribution', ({ id }) => desk.accept(id).then(async (contact) => { await contact.join(); resolve(contact); }).catch(reject)));
  await desk.ready();
  const client = createClient({ service: '${service}', ${options} });
  const visitor = await client.createContact({ nick: 'Robin' });
  const agent = await taken;
  window.parties = { visitor, agent };
  window.streams = { visitor: {}, agent: {} };
  for (const [name, contact] of Object.entries(parties)) {
    contact.on('mediaoffer', ({ offer, callback }) => callback(null, Object.fromEntries(Object.entries(offer).map(([medium, { tx, rx }]) => [medium, { tx: tx !== 'off', rx: rx !== 'off' }]))));
    contact.on('mediachange', ({ newMedia }) => { for (const medium of ['Voice', 'Video']) streams[name][medium] = newMedia[medium]?.data?.rx_stream; });
  }
  window.idle = async () => {
    for (;;) {
      if (visitor.mediaState === 'idle' && agent.mediaState === 'idle') return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  window.directions = async (contact) => Object.fromEntries(Object.entries(await contact.getMedia(true)).map(([medium, { tx, rx, via, engine }]) => [medium, { tx, rx, via, engine }]));
  window.mirrored = async () => {
    await idle();
    const [mine, theirs] = [await directions(visitor), await directions(agent)];
    return { mine, theirs: Object.fromEntries(Object.entries(theirs).map(([medium, { tx, rx, ...rest }]) => [medium, { tx: rx, rx: tx, ...rest }])) };
  };
`
