'use client'
import { useState } from 'react'
import { DuologWidget } from 'duolog/react'

/** The widget, and a part of one's own that hears of it. @param {{ service: string }} props */
export function Ask({ service }) {
  const [messages, setMessages] = useState(0)
  return (
    <>
      <p role="status">Messages: {messages}</p>
      <DuologWidget service={service} label="Ask us" onMessage={() => setMessages((count) => count + 1)} />
    </>
  )
}
