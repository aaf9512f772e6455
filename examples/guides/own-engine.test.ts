import { describeMediaEngine } from 'duolog/testing'
import { describe, it } from 'vitest'
import { WhiteboardEngine } from './own-engine.ts'

describeMediaEngine('WhiteboardEngine', () => ({ engine: new WhiteboardEngine(() => {}) }), { describe, it })
