import { rolling } from './service/rolling.ts'
import { runBench } from './service/run-bench.ts'

await runBench('service-rolling', rolling)
