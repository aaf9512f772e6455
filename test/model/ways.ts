/** Ways that several scenarios begin with. */

/** Both have prepared, the offer stands, the agent's application is asked. */
export const ASKED = ['visitor0 app offers Voice', 'visitor0 …', 'agent0 …'] as const
/** The answer is in the log and read: both engines work. */
export const WORKING = [
  ...ASKED,
  'agent0 app answers yes',
  'agent0 engine is prepared',
  'agent0 → answer',
  'agent0 reads answer',
  'visitor0 reads answer',
] as const
export const READY = 'visitor0 engine works'
