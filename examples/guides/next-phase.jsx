'use client'
import { useContact } from 'duolog/react'

/** A part of one's own: whether a contact is open. @param {{ service: string }} props */
export function Phase({ service }) {
  const { phase } = useContact({ service })
  return <p role="status">{phase}</p>
}
