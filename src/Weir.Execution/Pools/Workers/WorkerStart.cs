using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Processes;
using Weir.Execution.Threading;

namespace Weir.Execution.Pools.Workers;

/// <summary>One worker's start until READY: waits for its turn and for its answer, and reports a failed start.</summary>
/// <param name="definition">How it is started.</param>
/// <param name="core">Its pool.</param>
/// <param name="worker">The worker.</param>
/// <param name="report">Reports the outcome.</param>
/// <param name="printed">What it printed.</param>
internal sealed class WorkerStart(PoolDefinition definition, PoolCore core, WorkerLifetime worker, WorkerReporter report, WorkerOutput printed)
{
    private readonly TaskCompletionSource<FailedStart?> _said = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();

    // Under _gate.
    private CancellationTokenSource? _waiting;
    private bool _isAbandoned;

    // The worker's own flow.
    private IDisposable? _turn;
    private bool _usesSharedData;

    /// <summary>Why it did not become ready; <c>null</c> until that is known. By the worker's own flow.</summary>
    public FailedStart? Failure { get; private set; }

    // ---- the outcome of its start; the first one counts ----

    /// <param name="failure">Why it failed; <c>null</c> when the worker is ready.</param>
    public void End(FailedStart? failure) => _said.TrySetResult(failure);

    /// <summary>It is to be killed: its wait for a turn is cancelled.</summary>
    public void Abandon()
    {
        lock (_gate)
        {
            _isAbandoned = true;
            _ = _waiting?.CancelAsync();
        }
    }

    // ---- the worker's own flow ----

    /// <summary>Waits until what it shares is read, and for its turn among all that start on this host. The turn ends with the start.</summary>
    /// <returns><c>false</c> when it is not needed any more.</returns>
    /// <exception cref="LaunchException">What it shares cannot be read.</exception>
    public async Task<bool> TakeTurnAsync()
    {
        // Before the turn: others may start while a large file is read.
        if (definition.SharedData is { } data)
        {
            var isNeeded = await WaitAsync(async token =>
            {
                await data.UseAsync(token);
                _usesSharedData = true;
            });
            if (!isNeeded)
            {
                return false;
            }
        }

        return definition.Starts is not { } starts || await WaitAsync(async token => _turn = await starts.TakeAsync(token));
    }

    /// <summary>It is gone, or was never spawned: it does not use what it shared any more.</summary>
    public void ReleaseSharedData()
    {
        if (_usesSharedData)
        {
            definition.SharedData!.Release();
        }

        definition.SharedData?.Changed();
    }

    private async Task<bool> WaitAsync(Func<CancellationToken, Task> wait)
    {
        using var waiting = new CancellationTokenSource();
        try
        {
            lock (_gate)
            {
                _waiting = _isAbandoned ? null : waiting;
            }

            await (_waiting is null ? Task.CompletedTask : wait(waiting.Token));
        }
        catch (OperationCanceledException) when (waiting.IsCancellationRequested)
        {
            // It was abandoned.
        }

        lock (_gate)
        {
            _waiting = null;
            return !_isAbandoned;
        }
    }

    /// <summary>Waits for READY or a failure, up to the start timeout. A worker that failed is killed.</summary>
    public async Task RunAsync(WorkerHandle handle)
    {
        var begun = definition.Time.GetTimestamp();
        FailedStart? failure;
        try
        {
            failure = await WaitForWordAsync();
        }
        catch (TimeoutException)
        {
            failure = new FailedStart(
                WeirCodes.WorkerStartFailed, "answer HELLO", $"It sent no READY, with success or with an error, within StartTimeout ({definition.Options.StartTimeout}) and was killed.", worker.ProcessId);
        }

        if (failure is null)
        {
            _turn?.Dispose();
            report.IsReady(definition.Time.GetElapsedTime(begun));
            definition.SharedData?.Changed();
        }
        else
        {
            Failure = failure;
            if (GiveUp(failure, isDefinite: failure.Phase != FailedStart.Died, handle.ReadOutputTail()))
            {
                worker.Kill();
            }
        }
    }

    // If the timeout fires much later than it should, the host was stalled, and what the worker sent during that time is not read yet.
    private async Task<FailedStart?> WaitForWordAsync()
    {
        var (begun, patience) = (definition.Time.GetTimestamp(), definition.Options.StartTimeout);
        try
        {
            return await _said.Task.WaitAsync(patience, definition.Time);
        }
        catch (TimeoutException) when (definition.Time.GetElapsedTime(begun) > patience + HostThread.MostLate)
        {
            return await _said.Task.WaitAsync(patience, definition.Time);
        }
    }

    /// <summary>Reports the failure to the pool, which notifies its callers, and to the log.</summary>
    /// <returns><c>false</c> when the worker had become ready before.</returns>
    public bool GiveUp(FailedStart failure, bool isDefinite, string output)
    {
        _turn?.Dispose();
        failure = failure with { ReportId = worker.ReportId };
        var failed = core.StartFailed(worker, failure, isDefinite);
        if (failed && core.KilledBecause(worker) == KillReason.None)
        {
            printed.Drop();
            report.CouldNotStart(failure, output);
        }

        return failed;
    }
}
