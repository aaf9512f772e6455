import { assignments } from './service/assignments.ts'
import { runBench } from './service/run-bench.ts'

await runBench('service-assignments', assignments)
