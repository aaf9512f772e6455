import { throughput } from './service/throughput.ts'
import { runBench } from './service/run-bench.ts'

await runBench('service-throughput', throughput)
