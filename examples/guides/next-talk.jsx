'use client'
import { DuologWidget, useContact } from 'duolog/react'

/** A part of one's own: the element, and whether a contact is open. @param {{ service: string }} props */
export function Talk({ service }) {
  const { phase } = useContact({ service })
  return (
    <>
      <p role="status">{phase}</p>
      <DuologWidget service={service} label="Ask us" />
    </>
  )
}
