import { opening } from './service/opening.ts'
import { runBench } from './service/run-bench.ts'

await runBench('service-opening', opening)
