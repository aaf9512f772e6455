import { idle } from './service/idle.ts'
import { runBench } from './service/run-bench.ts'

await runBench('service-idle', idle)
