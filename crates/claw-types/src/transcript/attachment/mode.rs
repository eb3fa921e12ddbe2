//! How the model is to work, and how far it may go.

use crate::{Count, Json, Number};

use super::attachment;

attachment! {
    /// Tools that a slash command or skill allows while it runs.
    ["command_permissions"] CommandPermissionsAttachment {
        /// The rules.
        pub allowed_tools: Vec<String>,
    }
}

attachment! {
    /// The model works without questions.
    ["auto_mode"] AutoModeAttachment {
        /// Whether the person has yet to agree.
        pub auto_mode_consent_flow: Option<bool>,
        /// Whether the model is told to finish what others can see.
        pub finish_exposed_work: Option<bool>,
        /// Whether the shell is preferred to other tools.
        pub bash_first: Option<bool>,
        /// How much it is preferred.
        pub bash_first_steer: Option<String>,
        /// Whether the model is told of that alone.
        pub steer_only: Option<bool>,
        /// Whether permissions are bypassed.
        pub bypass: Option<bool>,
    }
}

attachment! {
    /// The model plans, and changes nothing.
    ["plan_mode"] PlanModeAttachment {
        /// How much it is told: `full` ….
        pub reminder_type: Option<String>,
        /// Whether it is a sub-agent.
        pub is_sub_agent: Option<bool>,
        /// Where the plan is written.
        pub plan_file_path: Option<String>,
        /// Whether it is there already.
        pub plan_exists: Option<bool>,
    }
}

attachment! {
    /// The plan is made, and the model may work.
    ["plan_mode_exit"] PlanModeExitAttachment {
        /// Where the plan is written.
        pub plan_file_path: Option<String>,
        /// Whether it is there.
        pub plan_exists: Option<bool>,
    }
}

attachment! {
    /// What the session may cost, in US dollars.
    ["budget_usd"] BudgetUsdAttachment {
        /// What it has cost.
        pub used: Number,
        /// What it may cost.
        pub total: Number,
        /// What is left; negative where it has cost more.
        pub remaining: Number,
    }
}

attachment! {
    /// How many tokens are left, where a session may only use so many.
    ["total_tokens_reminder"] TotalTokensReminderAttachment {
        /// The text.
        pub text: String,
    }
}

attachment! {
    /// The turn has taken as many requests as it may, and ends.
    ["max_turns_reached"] MaxTurnsReachedAttachment {
        /// How many it may take.
        pub max_turns: Count,
        /// The one that it would have taken next.
        pub turn_count: Count,
        /// Whether the CLI ends with it.
        pub exit_committed: Option<bool>,
    }
}

attachment! {
    /// The answer as data, by the schema that the host gave.
    ["structured_output"] StructuredOutputAttachment {
        /// The data.
        pub data: Json,
        /// The tool use that the model gave it in.
        #[wire(rename = "toolUseID")]
        pub tool_use_id: Option<String>,
    }
}

attachment! {
    /// A goal that the session works towards.
    ["goal_status"] GoalStatusAttachment {
        /// Whether it is reached.
        pub met: bool,
        /// The goal, in words.
        pub condition: String,
        /// Whether the CLI itself says so, not a hook.
        pub sentinel: Option<bool>,
    }
}
