import { text } from './service/text.ts'
import { runBench } from './service/run-bench.ts'

await runBench('service-text', text)
