import { ContactError } from '../../../protocol/index.ts'

/** The file has been removed, or its upload has been given up. */
export const isGone = (): ContactError =>
  new ContactError('left', 'unable to give or take the file; it has been removed')

/** Another node may take the bytes of this upload from now on. */
export const isElsewhere = (): ContactError =>
  new ContactError('offline', 'unable to take the file here; another node may take it')
