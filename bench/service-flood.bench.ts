import { FLOODER, flood, floodFor } from './service/flood.ts'
import { runBench } from './service/run-bench.ts'

if (process.argv[2] === FLOODER) await floodFor(process.argv.slice(3))
else await runBench('service-flood', flood)
