//! The one list of cases. CLI, `cargo test` and the printed catalogue are expanded from it.

/// Calls `$make!` with every suite and its cases: `suite { name: Case, ... }`.
///
/// A case's id is its suite and its name with hyphens: `success_policy { leader_index_decides: ... }`
/// is `success-policy/leader-index-decides`.
#[macro_export]
macro_rules! for_each_case {
    ($make:ident) => {
        $make! {
            indexed_job {
                pods_carry_their_index: $crate::indexed_job::PodsCarryTheirIndex,
                complete_when_every_index_succeeded: $crate::indexed_job::CompleteWhenEveryIndexSucceeded,
                completed_indexes_are_compressed: $crate::indexed_job::CompletedIndexesAreCompressed,
                lowest_indexes_run_first: $crate::indexed_job::LowestIndexesRunFirst,
                a_failed_index_is_tried_again: $crate::indexed_job::AFailedIndexIsTriedAgain,
                scaling_down_drops_indexes: $crate::indexed_job::ScalingDownDropsIndexes,
                a_dropped_index_runs_anew: $crate::indexed_job::ADroppedIndexRunsAnew,
                nothing_to_do_is_complete: $crate::indexed_job::NothingToDoIsComplete,
                progress_survives_a_crash: $crate::indexed_job::ProgressSurvivesACrash,
            }
            success_policy {
                leader_index_decides: $crate::success_policy::LeaderIndexDecides,
                any_count_decides: $crate::success_policy::AnyCountDecides,
                a_sign_or_a_zero_changes_no_index: $crate::success_policy::ASignOrAZeroChangesNoIndex,
                only_listed_indexes_count: $crate::success_policy::OnlyListedIndexesCount,
                first_matching_rule_wins: $crate::success_policy::FirstMatchingRuleWins,
                leader_or_quorum: $crate::success_policy::LeaderOrQuorum,
                lingering_pods_hold_the_end_back: $crate::success_policy::LingeringPodsHoldTheEndBack,
                without_a_policy_completions_decide: $crate::success_policy::WithoutAPolicyCompletionsDecide,
                all_indexes_still_mean_the_policy: $crate::success_policy::AllIndexesStillMeanThePolicy,
                failed_indexes_do_not_forbid_success: $crate::success_policy::FailedIndexesDoNotForbidSuccess,
                a_declared_success_outlives_failures: $crate::success_policy::ADeclaredSuccessOutlivesFailures,
                fail_job_rule_beats_success: $crate::success_policy::FailJobRuleBeatsSuccess,
                backoff_limit_beats_success: $crate::success_policy::BackoffLimitBeatsSuccess,
                deadline_beats_success: $crate::success_policy::DeadlineBeatsSuccess,
                failed_indexes_beat_success: $crate::success_policy::FailedIndexesBeatSuccess,
                a_declared_failure_outlives_successes: $crate::success_policy::ADeclaredFailureOutlivesSuccesses,
                without_the_gate_all_indexes_are_needed: $crate::success_policy::WithoutTheGateAllIndexesAreNeeded,
            }
            failure_policy {
                disrupted_pod_may_succeed: $crate::failure_policy::DisruptedPodMaySucceed,
                disruptions_do_not_count: $crate::failure_policy::DisruptionsDoNotCount,
                exit_codes_are_read_per_container: $crate::failure_policy::ExitCodesAreReadPerContainer,
                fail_job_rule_ends_the_job: $crate::failure_policy::FailJobRuleEndsTheJob,
                false_failure_target_decides_nothing: $crate::failure_policy::FalseFailureTargetDecidesNothing,
                first_matching_rule_decides: $crate::failure_policy::FirstMatchingRuleDecides,
                ignored_failures_cost_time_only: $crate::failure_policy::IgnoredFailuresCostTimeOnly,
                ignored_pods_that_still_stop_do_not_count: $crate::failure_policy::IgnoredPodsThatStillStopDoNotCount,
                verdict_outlives_its_evidence: $crate::failure_policy::VerdictOutlivesItsEvidence,
            }
            backoff {
                failures_are_counted_while_others_run: $crate::backoff::FailuresAreCountedWhileOthersRun,
                failures_at_once_add_up: $crate::backoff::FailuresAtOnceAddUp,
                failures_before_a_success_are_forgotten: $crate::backoff::FailuresBeforeASuccessAreForgotten,
                limit_allows_one_failure_more: $crate::backoff::LimitAllowsOneFailureMore,
                limit_zero_bears_no_restart: $crate::backoff::LimitZeroBearsNoRestart,
                refused_creations_are_no_failures: $crate::backoff::RefusedCreationsAreNoFailures,
                replacements_wait_longer_each_time: $crate::backoff::ReplacementsWaitLongerEachTime,
                restarts_in_place_reach_the_limit: $crate::backoff::RestartsInPlaceReachTheLimit,
                room_in_a_quota_is_used_soon: $crate::backoff::RoomInAQuotaIsUsedSoon,
                stopped_pods_count_as_failed: $crate::backoff::StoppedPodsCountAsFailed,
                success_resets_the_delay: $crate::backoff::SuccessResetsTheDelay,
                the_delay_counts_from_the_end_of_the_pod: $crate::backoff::TheDelayCountsFromTheEndOfThePod,
            }
            index_backoff {
                every_index_has_its_try: $crate::index_backoff::EveryIndexHasItsTry,
                fail_index_gives_up_at_once: $crate::index_backoff::FailIndexGivesUpAtOnce,
                failed_pod_waits_for_its_heir: $crate::index_backoff::FailedPodWaitsForItsHeir,
                failure_count_travels_with_the_index: $crate::index_backoff::FailureCountTravelsWithTheIndex,
                indexes_back_off_apart: $crate::index_backoff::IndexesBackOffApart,
                the_whole_jobs_limit_comes_first: $crate::index_backoff::TheWholeJobsLimitComesFirst,
                too_many_failed_indexes_end_the_job: $crate::index_backoff::TooManyFailedIndexesEndTheJob,
                without_the_gate_an_index_is_tried_again: $crate::index_backoff::WithoutTheGateAnIndexIsTriedAgain,
            }
            deadline {
                fires_without_a_pod_event: $crate::deadline::FiresWithoutAPodEvent,
                fires_while_creations_are_refused: $crate::deadline::FiresWhileCreationsAreRefused,
                survives_a_restart: $crate::deadline::SurvivesARestart,
                zero_fails_before_any_pod: $crate::deadline::ZeroFailsBeforeAnyPod,
                not_after_success_is_decided: $crate::deadline::NotAfterSuccessIsDecided,
                a_suspended_job_has_none: $crate::deadline::ASuspendedJobHasNone,
                resumed_too_late_without_the_gate: $crate::deadline::ResumedTooLateWithoutTheGate,
                follows_the_field: $crate::deadline::FollowsTheField,
            }
            suspend {
                created_suspended_then_resumed: $crate::suspend::CreatedSuspendedThenResumed,
                running_pods_go_uncounted: $crate::suspend::RunningPodsGoUncounted,
                completed_indexes_stay: $crate::suspend::CompletedIndexesStay,
                start_time_is_cleared: $crate::suspend::StartTimeIsCleared,
                start_time_stays_until_resumed: $crate::suspend::StartTimeStaysUntilResumed,
                restart_creates_nothing: $crate::suspend::RestartCreatesNothing,
                no_effect_after_success: $crate::suspend::NoEffectAfterSuccess,
                no_effect_on_a_finished_job: $crate::suspend::NoEffectOnAFinishedJob,
                edited_template_is_used: $crate::suspend::EditedTemplateIsUsed,
                edited_before_it_is_noticed: $crate::suspend::EditedBeforeItIsNoticed,
                a_resuspended_job_can_be_edited: $crate::suspend::AResuspendedJobCanBeEdited,
            }
            pod_replacement {
                a_stopping_pod_may_still_succeed: $crate::pod_replacement::AStoppingPodMayStillSucceed,
                leaving_pods_keep_their_places: $crate::pod_replacement::LeavingPodsKeepTheirPlaces,
                replaced_only_when_failed: $crate::pod_replacement::ReplacedOnlyWhenFailed,
                replaced_while_it_still_stops: $crate::pod_replacement::ReplacedWhileItStillStops,
                the_end_waits_for_stopping_pods: $crate::pod_replacement::TheEndWaitsForStoppingPods,
                without_the_gate_stopping_is_failing: $crate::pod_replacement::WithoutTheGateStoppingIsFailing,
            }
            managed_by {
                a_foreign_job_is_left_alone: $crate::managed_by::AForeignJobIsLeftAlone,
                the_reserved_value_means_built_in: $crate::managed_by::TheReservedValueMeansBuiltIn,
                time_to_live_holds_for_foreign_jobs: $crate::managed_by::TimeToLiveHoldsForForeignJobs,
                the_field_is_immutable: $crate::managed_by::TheFieldIsImmutable,
                ignored_with_the_gate_off: $crate::managed_by::IgnoredWithTheGateOff,
                a_foreign_namesake_is_left_alone: $crate::managed_by::AForeignNamesakeIsLeftAlone,
                foreign_pods_stay_tracked: $crate::managed_by::ForeignPodsStayTracked,
            }
            ownership {
                a_matching_orphan_is_adopted: $crate::ownership::AMatchingOrphanIsAdopted,
                a_relabelled_pod_is_released: $crate::ownership::ARelabelledPodIsReleased,
                a_namesakes_pods_are_strangers: $crate::ownership::ANamesakesPodsAreStrangers,
                a_deleted_job_frees_its_pods: $crate::ownership::ADeletedJobFreesItsPods,
                freed_though_nobody_watched: $crate::ownership::FreedThoughNobodyWatched,
                a_foreign_controllers_pod_keeps_its_finalizer: $crate::ownership::AForeignControllersPodKeepsItsFinalizer,
            }
            ttl {
                zero_removes_at_once: $crate::ttl::ZeroRemovesAtOnce,
                counted_from_the_finish: $crate::ttl::CountedFromTheFinish,
                set_late: $crate::ttl::SetLate,
                extended_at_the_last_moment: $crate::ttl::ExtendedAtTheLastMoment,
                cleared_at_the_last_moment: $crate::ttl::ClearedAtTheLastMoment,
                only_a_finished_job_goes: $crate::ttl::OnlyAFinishedJobGoes,
                a_failed_job_goes_too: $crate::ttl::AFailedJobGoesToo,
                pods_go_first: $crate::ttl::PodsGoFirst,
                a_finalizer_holds_the_job: $crate::ttl::AFinalizerHoldsTheJob,
                restart_rebuilds_timers: $crate::ttl::RestartRebuildsTimers,
                recreated_namesake_stays: $crate::ttl::RecreatedNamesakeStays,
                an_owner_is_no_protection: $crate::ttl::AnOwnerIsNoProtection,
            }
            parallelism {
                a_template_gives_no_identity: $crate::parallelism::ATemplateGivesNoIdentity,
                a_queue_ends_with_its_first_success: $crate::parallelism::AQueueEndsWithItsFirstSuccess,
                no_more_pods_than_are_missing: $crate::parallelism::NoMorePodsThanAreMissing,
                parallelism_can_change: $crate::parallelism::ParallelismCanChange,
                pods_are_recognisably_the_jobs: $crate::parallelism::PodsAreRecognisablyTheJobs,
                surplus_goes_in_parts: $crate::parallelism::SurplusGoesInParts,
            }
            status {
                events_tell_the_story: $crate::status::EventsTellTheStory,
                a_failure_is_announced_with_its_reason: $crate::status::AFailureIsAnnouncedWithItsReason,
                conditions_of_others_stay: $crate::status::ConditionsOfOthersStay,
                without_both_gates_the_end_is_immediate: $crate::status::WithoutBothGatesTheEndIsImmediate,
                a_job_without_a_controller_waits: $crate::status::AJobWithoutAControllerWaits,
                a_quiet_job_is_left_alone: $crate::status::AQuietJobIsLeftAlone,
            }
            kubelet {
                the_container_knows_its_index: $crate::kubelet::TheContainerKnowsItsIndex,
                restarts_in_place_are_no_failures: $crate::kubelet::RestartsInPlaceAreNoFailures,
                grace_is_given_and_no_more: $crate::kubelet::GraceIsGivenAndNoMore,
                evicted_pods_are_replaced_for_free: $crate::kubelet::EvictedPodsAreReplacedForFree,
                a_drained_node_loses_its_pods: $crate::kubelet::ADrainedNodeLosesItsPods,
                a_hundred_pods_start_at_once: $crate::kubelet::AHundredPodsStartAtOnce,
            }
            scheduling {
                a_parallel_indexed_job_is_a_gang: $crate::scheduling::AParallelIndexedJobIsAGang,
                a_root_job_has_a_pod_group: $crate::scheduling::ARootJobHasAPodGroup,
                no_job_is_a_gang_unasked: $crate::scheduling::NoJobIsAGangUnasked,
                an_owner_is_no_parent: $crate::scheduling::AnOwnerIsNoParent,
                a_workload_of_another_stays: $crate::scheduling::AWorkloadOfAnotherStays,
                a_gang_counts_what_may_run: $crate::scheduling::AGangCountsWhatMayRun,
                a_suspended_job_has_its_group_first: $crate::scheduling::ASuspendedJobHasItsGroupFirst,
                who_brings_a_group_gets_none: $crate::scheduling::WhoBringsAGroupGetsNone,
                a_parent_delegates_the_pod_group: $crate::scheduling::AParentDelegatesThePodGroup,
                two_workloads_mean_none: $crate::scheduling::TwoWorkloadsMeanNone,
                refused_objects_hold_pods_back: $crate::scheduling::RefusedObjectsHoldPodsBack,
                a_refused_group_holds_pods_back: $crate::scheduling::ARefusedGroupHoldsPodsBack,
                a_restart_makes_no_twin: $crate::scheduling::ARestartMakesNoTwin,
                a_started_job_stays_without: $crate::scheduling::AStartedJobStaysWithout,
            }
            validation {
                defaults: $crate::validation::Defaults,
                counts: $crate::validation::Counts,
                index_lists: $crate::validation::IndexLists,
                success_policy_rules: $crate::validation::SuccessPolicyRules,
                failure_policy_rules: $crate::validation::FailurePolicyRules,
                names_and_selectors: $crate::validation::NamesAndSelectors,
                updates: $crate::validation::Updates,
                suspended_templates: $crate::validation::SuspendedTemplates,
                decoding: $crate::validation::Decoding,
                cron_job_templates: $crate::validation::CronJobTemplates,
                gates_off: $crate::validation::GatesOff,
                generated_labels_stay: $crate::validation::GeneratedLabelsStay,
                generated_labels_may_go: $crate::validation::GeneratedLabelsMayGo,
                gangs: $crate::validation::Gangs,
                a_gang_keeps_its_size: $crate::validation::AGangKeepsItsSize,
                jobs_are_selected_by_their_successes: $crate::validation::JobsAreSelectedByTheirSuccesses,
            }
            status_validation {
                counters: $crate::status_validation::Counters,
                conditions: $crate::status_validation::Conditions,
                times: $crate::status_validation::Times,
                index_lists: $crate::status_validation::IndexLists,
                metadata_and_spec: $crate::status_validation::MetadataAndSpec,
                not_validated: $crate::status_validation::NotValidated,
                newer_rules: $crate::status_validation::NewerRules,
                newer_words: $crate::status_validation::NewerWords,
                strict_rules_off: $crate::status_validation::StrictRulesOff,
                success_only_by_policy: $crate::status_validation::SuccessOnlyByPolicy,
            }
            hostile {
                counts_at_their_limits: $crate::hostile::CountsAtTheirLimits,
                failures_at_their_limits: $crate::hostile::FailuresAtTheirLimits,
                five_hundred_at_a_time: $crate::hostile::FiveHundredAtATime,
                times_at_their_limits: $crate::hostile::TimesAtTheirLimits,
                policies_at_their_limits: $crate::hostile::PoliciesAtTheirLimits,
                strange_indexes_on_pods: $crate::hostile::StrangeIndexesOnPods,
                names_at_their_limits: $crate::hostile::NamesAtTheirLimits,
                every_field_of_a_template: $crate::hostile::EveryFieldOfATemplate,
                statuses_by_others: $crate::hostile::StatusesByOthers,
                changes_to_extremes: $crate::hostile::ChangesToExtremes,
                owners_that_never_were: $crate::hostile::OwnersThatNeverWere,
                a_hundred_at_once: $crate::hostile::AHundredAtOnce,
            }
            gate_flips {
                success_policy_rests_while_its_gate_is_off: $crate::gate_flips::SuccessPolicyRestsWhileItsGateIsOff,
                a_new_success_policy_is_dropped_while_its_gate_is_off: $crate::gate_flips::ANewSuccessPolicyIsDroppedWhileItsGateIsOff,
                what_is_finished_stays_finished: $crate::gate_flips::WhatIsFinishedStaysFinished,
                a_declared_success_outlives_its_gate: $crate::gate_flips::ADeclaredSuccessOutlivesItsGate,
                failed_indexes_are_forgotten_while_their_gate_is_off: $crate::gate_flips::FailedIndexesAreForgottenWhileTheirGateIsOff,
                a_new_limit_per_index_is_dropped_while_its_gate_is_off: $crate::gate_flips::ANewLimitPerIndexIsDroppedWhileItsGateIsOff,
                stopping_pods_are_replaced_while_their_gate_is_off: $crate::gate_flips::StoppingPodsAreReplacedWhileTheirGateIsOff,
                a_new_replacement_policy_is_dropped_while_its_gate_is_off: $crate::gate_flips::ANewReplacementPolicyIsDroppedWhileItsGateIsOff,
                two_controllers_write_where_managed_by_is_off: $crate::gate_flips::TwoControllersWriteWhereManagedByIsOff,
                a_new_manager_is_dropped_while_its_gate_is_off: $crate::gate_flips::ANewManagerIsDroppedWhileItsGateIsOff,
                a_killed_controller_flips_too: $crate::gate_flips::AKilledControllerFlipsToo,
                a_suspended_job_does_not_notice: $crate::gate_flips::ASuspendedJobDoesNotNotice,
                a_foreign_job_is_not_served_again: $crate::gate_flips::AForeignJobIsNotServedAgain,
                a_job_failed_by_its_indexes_stays_failed: $crate::gate_flips::AJobFailedByItsIndexesStaysFailed,
                two_gates_at_once: $crate::gate_flips::TwoGatesAtOnce,
            }
            upgrades {
                a_running_job_goes_on: $crate::upgrades::ARunningJobGoesOn,
                progress_is_kept: $crate::upgrades::ProgressIsKept,
                a_suspended_job_sleeps_through: $crate::upgrades::ASuspendedJobSleepsThrough,
                finished_jobs_are_left_alone: $crate::upgrades::FinishedJobsAreLeftAlone,
                the_controller_dies_at_the_change: $crate::upgrades::TheControllerDiesAtTheChange,
                there_and_back: $crate::upgrades::ThereAndBack,
                an_api_server_ahead: $crate::upgrades::AnApiServerAhead,
                the_start_of_a_suspended_job_is_cleared_since: $crate::upgrades::TheStartOfASuspendedJobIsClearedSince,
                a_time_to_live_goes_on: $crate::upgrades::ATimeToLiveGoesOn,
                a_decision_is_carried_out: $crate::upgrades::ADecisionIsCarriedOut,
                failed_indexes_are_kept: $crate::upgrades::FailedIndexesAreKept,
                a_deadline_goes_on: $crate::upgrades::ADeadlineGoesOn,
                stopping_pods_keep_their_places: $crate::upgrades::StoppingPodsKeepTheirPlaces,
                a_foreign_job_stays_foreign: $crate::upgrades::AForeignJobStaysForeign,
            }
        }
    };
}

macro_rules! as_slice {
    ($($suite:ident { $($name:ident: $case:expr,)* })*) => {
        &[$($(&$case,)*)*]
    };
}

/// Every case, in the order of the list.
pub const CASES: &[&dyn jobsworth_harness::Case] = for_each_case!(as_slice);
