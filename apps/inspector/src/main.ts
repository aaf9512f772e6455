import { DuologInspector } from './inspector.ts'

document.body.append(new DuologInspector())
