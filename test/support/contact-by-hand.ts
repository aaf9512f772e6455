/** What a visitor and an agent do on their pages from the first question to the end. */
import type { Page } from 'playwright-core'

/** The visitor opens the chat and asks; the agent, who is ready, takes the contact. */
export async function ask(visitor: Page, agent: Page, question: string): Promise<void> {
  await visitor.getByTestId('launcher').click()
  await visitor.getByTestId('nick').fill('Robin')
  await visitor.getByTestId('first-message').fill(question)
  await visitor.getByTestId('start').click()
  await agent.getByTestId('accept-contact').click()
  await agent.getByTestId('messages').getByText(question).waitFor()
}

/** The visitor leaves and confirms it, and the agent ends the contact. */
export async function endContact(visitor: Page, agent: Page): Promise<void> {
  await visitor.getByTestId('leave').click()
  await visitor.getByTestId('confirm-yes').click()
  await visitor.getByTestId('ending').waitFor()
  await agent.getByTestId('end-contact').click()
  await agent.getByTestId('ending').waitFor()
}
