import { nodes } from './service/nodes.ts'
import { runBench } from './service/run-bench.ts'

await runBench('service-nodes', nodes)
