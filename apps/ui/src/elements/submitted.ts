/** Value of the button by which a form was submitted. */
export const valueOf = ({ submitter }: SubmitEvent): string | null =>
  submitter instanceof HTMLButtonElement ? submitter.value : null
