//! Interrupts turns, and takes prompts back before their turns begin.

use claw_client::Error;
use claw_sessions::on_pool;
use claw_types::MessageUuid;
use claw_types::control::CancelAsyncMessage;
use futures::FutureExt;
use tokio::sync::oneshot;

use super::{Driver, Step};
use crate::conversation::Conversation;

impl Driver {
    pub(super) fn interrupt(&mut self, done: oneshot::Sender<Result<bool, Error>>) {
        if let Some((_, waiting)) = &self.waiting {
            waiting.abort();
        }
        let has_limited = self.take_limited_back();
        let Some(process) = self.process.clone().filter(|_| self.has_turn()) else {
            let _ = done.send(Ok(has_limited || self.waiting.is_some()));
            return;
        };
        self.shared.with(Conversation::interrupted);
        let interrupt = process.interrupt();
        let carried_out = async move {
            let _ = done.send(interrupt.await.map(|_| true));
            Step::Done
        };
        self.steps.push(carried_out.boxed());
    }

    /// Takes a prompt back. The prompt may wait in the queue, for a process, for a usage limit or in the CLI.
    pub(super) fn take_back(
        &mut self,
        uuid: MessageUuid,
        done: oneshot::Sender<Result<bool, Error>>,
    ) {
        if !self
            .shared
            .peek(|conversation| conversation.is_waiting(&uuid))
        {
            let _ = done.send(Ok(false));
            return;
        }
        if self.take_one_limited_back(&uuid) {
            let _ = done.send(Ok(true));
            return;
        }
        let is_on_its_way = self.waiting.as_ref().is_some_and(|(of, _)| *of == uuid);
        let process = self.process.clone();
        if let Some((_, waiting)) = self.waiting.as_ref().filter(|_| is_on_its_way) {
            waiting.abort();
        } else if let Some(job) = self.held.take_if(|job| job.uuid == uuid) {
            self.finish(job.uuid, None, false);
        } else if self.shared.prompts.is_sent(&uuid) {
            let Some(process) = process else {
                let _ = done.send(Ok(false));
                return;
            };
            self.taking_back.insert(uuid.clone());
            let cancel = process.call(CancelAsyncMessage::new(uuid.clone()));
            let cancelled = async move {
                let cancelled = cancel.await.map(|response| response.cancelled);
                Step::TakenBack(uuid, cancelled, done)
            };
            self.steps.push(cancelled.boxed());
            return;
        } else {
            // The prompt still waits in the queue. When the driver takes the prompt from the queue, it does not send the
            // prompt.
            self.taken_back.insert(uuid.clone());
        }
        self.shared
            .with(|conversation| conversation.take_back(&uuid));
        let _ = done.send(Ok(true));
    }

    /// Handles the CLI's report that it has cancelled a prompt. Removes the prompt, and the record that it is unanswered.
    pub(super) fn on_taken_back(&mut self, uuid: &MessageUuid) {
        if !self.taking_back.remove(uuid) {
            // The CLI has cancelled the prompt because of an interrupt, and no person has taken it back. So it is not removed,
            // and ends without an answer.
            return;
        }
        if let Some(running) = self.running.remove(uuid) {
            running.abort();
        }
        self.shared
            .with(|conversation| conversation.take_back(uuid));
        let (shared, uuid) = (self.shared.clone(), uuid.clone());
        let unmarked = on_pool::run(move || shared.prompts.finish(&uuid, false));
        self.steps.push(unmarked.map(|()| Step::Done).boxed());
    }

    pub(super) fn stop(&mut self, done: oneshot::Sender<()>) {
        self.is_stopped = true;
        self.stopped.push(done);
        let (interrupted, _) = oneshot::channel();
        self.interrupt(interrupted);
    }
}
