import { ParleyInspector } from './inspector.ts'

document.body.append(new ParleyInspector())
