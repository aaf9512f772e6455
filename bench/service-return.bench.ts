import { PAGES, havePages } from './service/page-processes.ts'
import { comeBack } from './service/return.ts'
import { runBench } from './service/run-bench.ts'

if (process.argv[2] === PAGES) havePages(process.argv.slice(3))
else await runBench('service-return', comeBack)
