using Microsoft.Extensions.Logging;
using Weir.AspNetCore.Diagnostics;

namespace Weir.Dashboard.Actions;

/// <summary>What an operator can do. Each action has a line in the log before its effect and one with its outcome, so that also one is known that ended the process. Any thread.</summary>
/// <param name="runtime">The application.</param>
/// <param name="log">The category <c>Weir.Audit</c>.</param>
internal sealed class OperatorActions(WeirRuntime runtime, ILogger log)
{
    /// <summary>All of them.</summary>
    public static readonly string[] Verbs = ["cancel", "drain", "kill", "pause", "reload", "replace", "resume"];

    /// <summary>Does one.</summary>
    /// <param name="verb">Which.</param>
    /// <param name="asked">Of what.</param>
    /// <param name="user">Who asks.</param>
    /// <param name="address">From where.</param>
    /// <returns>Completes when it is done, or, for what takes its time, has begun.</returns>
    public async Task<ActionResult> RunAsync(string verb, ActionRequest asked, string user, string address)
    {
        log.ActionAsked(user, address, verb, asked.Target);
        ActionResult result;
        try
        {
            result = verb == "cancel" ? Cancel(asked)
                : asked.Call is not null ? ActionResult.Wrong($"To {verb}, name a pool: the member 'pool'.")
                : runtime.FindPool(asked.Pool) is { } pool ? await RunAsync(verb, pool, asked, user, address)
                : ActionResult.Changed($"There is no pool '{asked.Pool}' with workers.");
        }
        catch (Exception failure)
        {
            log.ActionFailed(failure, user, address, verb, asked.Target);
            throw;
        }

        log.ActionEnded(user, address, verb, asked.Target, result.Text);
        return result;
    }

    private ActionResult Cancel(ActionRequest asked) => asked.Call is null ? ActionResult.Wrong("The member 'call' must be the id of a call that runs or waits.")
        : runtime.CancelCall(asked.Call) ? ActionResult.Done($"Call {asked.Call} is cancelled. Code that ignores it in a worker is killed after CancelGrace.")
        : ActionResult.Changed($"Call {asked.Call} has ended, or it is an attempt of a job, which is cancelled as a job.");

    private async Task<ActionResult> RunAsync(string verb, WorkerPool pool, ActionRequest asked, string user, string address)
    {
        var state = pool.Snapshot();
        switch (verb)
        {
            case "pause" or "resume" when state.IsDraining:
                return ActionResult.Changed($"{pool.Name} drains.");
            case "pause" when state.IsPaused:
                return ActionResult.Changed($"{pool.Name} is paused already.");
            case "pause":
                pool.Pause();
                return ActionResult.Done($"{pool.Name} is paused: calls wait.");
            case "resume" when !state.IsPaused:
                return ActionResult.Changed($"{pool.Name} is not paused.");
            case "resume":
                pool.Resume();
                return ActionResult.Done($"{pool.Name} is resumed.");
            case "drain" when state.IsDraining:
                return ActionResult.Changed($"{pool.Name} drains already.");
            case "drain":
                Follow(pool.DrainAsync(), "drain", asked, user, address);
                return ActionResult.Begun($"{pool.Name} drains: it accepts no more calls until the application is started again.");
            case "reload" when state.IsDraining:
                return ActionResult.Changed($"{pool.Name} drains.");
            case "reload":
                Follow(pool.ReloadAsync(), "reload", asked, user, address);
                return ActionResult.Begun($"{pool.Name} replaces its workers.");
            case "replace" or "kill" when asked.ProcessId is null:
                return ActionResult.Wrong("The member 'pid' must be the process id of the worker.");
            case "replace":
                var replacing = pool.ReplaceWorkerAsync(asked.ProcessId!.Value, asked.Serial);
                if (replacing.IsCompletedSuccessfully && !replacing.Result)
                {
                    return Gone(pool, asked);
                }

                Follow(replacing, "replace", asked, user, address);
                return ActionResult.Begun($"Worker {asked.ProcessId} of {pool.Name} is replaced when its calls have ended.");
            default:
                return await pool.KillWorkerAsync(asked.ProcessId!.Value, asked.Serial, user) ? ActionResult.Done($"Worker {asked.ProcessId} of {pool.Name} is killed.") : Gone(pool, asked);
        }
    }

    private static ActionResult Gone(WorkerPool pool, ActionRequest asked) => ActionResult.Changed($"{pool.Name} has no such worker {asked.ProcessId} any more, or it is ending already.");

    // Its outcome has a line of its own.
    private void Follow(Task running, string verb, ActionRequest asked, string user, string address) => _ = FollowAsync(running, verb, asked, user, address);

    private async Task FollowAsync(Task running, string verb, ActionRequest asked, string user, string address)
    {
        try
        {
            await running;
            log.ActionEnded(user, address, verb, asked.Target, "It is done.");
        }
        catch (Exception failure)
        {
            log.ActionFailed(failure, user, address, verb, asked.Target);
        }
    }
}
