import { cluster } from './service/cluster.ts'
import { runBench } from './service/run-bench.ts'

await runBench('service-cluster', cluster)
