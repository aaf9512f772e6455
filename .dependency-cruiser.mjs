import { cruiseOptions, rulesFor } from './scripts/layers.mjs'

export default { forbidden: rulesFor(process.cwd()), options: cruiseOptions }
