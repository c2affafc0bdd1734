using System.Net;
using Weir.Cli.Answers;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>Waits for a job, and prints its result, or its items as they come. To stop waiting does not stop the job.</summary>
/// <param name="session">Sends the requests.</param>
/// <param name="id">The job.</param>
/// <param name="form">How the result is printed.</param>
/// <param name="console">Where it is printed.</param>
internal sealed class JobWait(JobsSession session, Guid id, JobResultForm form, CommandConsole console)
{
    private readonly AnswerPrinter _printer = new(form.IsJson, form.MostBytes, console);

    /// <summary>Waits.</summary>
    /// <param name="known">The job, where it was just submitted; <c>null</c> where it is not known whether there is one.</param>
    /// <param name="timeout">For how long; <c>null</c> for without a limit.</param>
    /// <param name="cancellationToken">Fires on Ctrl-C.</param>
    /// <returns>The exit code.</returns>
    /// <exception cref="JobsException">The server cannot be reached.</exception>
    public async Task<int> RunAsync(JobView? known, TimeSpan? timeout, CancellationToken cancellationToken)
    {
        using var limit = timeout is { } time ? new CancellationTokenSource(time, console.Time) : new CancellationTokenSource();
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        JobsAnswer? last = null;
        try
        {
            var job = known;
            if (job is null)
            {
                last = await session.SendAsync(HttpMethod.Get, $"/{id:D}", either.Token);
                if (!last.IsSuccess)
                {
                    return await session.RefuseAsync(last, "MapWeirJobs", _printer);
                }

                job = last.Job();
            }

            return job.IsStream ? await ItemsAsync(either.Token) : await ResultAsync(answer => last = answer ?? last, either.Token);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            await console.Error.WriteLineAsync($"weir: stopped waiting; the job continues. To cancel it: {Command("cancel")}");
            return ExitCodes.Interrupted;
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested)
        {
            await console.Error.WriteLineAsync($"weir: the job has not ended within {Durations.Waiting(timeout!.Value)}, and continues. To wait for it again: {Command("wait")}");
            if (form.IsJson && last is not null)
            {
                await _printer.PrintJsonAsync(id.ToString(), last.Text);
            }

            return ExitCodes.JobNotEnded;
        }
        catch (JobsException failure) when (failure.IsPassing && (known is not null || last is not null))
        {
            await console.Error.WriteLineAsync($"weir: {failure.Message.TrimEnd('.')}; the job continues. To wait for it again: {Command("wait")}");
            return ExitCodes.Failure;
        }
    }

    private string Command(string name) => $"weir jobs {name} {session.Address.Words} {id:D}{(form.HasHeaders ? " --header …" : "")}";

    private async Task<int> ResultAsync(Action<JobsAnswer?> seen, CancellationToken cancellationToken)
    {
        var patience = new Patience(console.Time);
        while (true)
        {
            // 1. Wait for its end.
            var progress = new JobProgress(console, isShown: true);
            var watch = new JobWatch(session, id, progress, console);
            JobsAnswer ended;
            try
            {
                ended = await progress.RunAsync(() => watch.UntilEndedAsync(isKnown: true, cancellationToken));
            }
            finally
            {
                seen(watch.Last);
            }

            if (!ended.IsSuccess)
            {
                return await session.RefuseAsync(ended, "MapWeirJobs", _printer);
            }

            // 2. Print what the direct call would have answered.
            var job = ended.Job();
            if (await PrintResultAsync(job, cancellationToken) is { } exitCode)
            {
                return exitCode;
            }

            // 3. It was run again in between, or the server is away.
            if (!await patience.WaitAsync(null, cancellationToken))
            {
                return await _printer.FailAsync(job.Kind, "the server did not answer with the result within a minute");
            }
        }
    }

    // Null where it cannot be had yet.
    private async Task<int?> PrintResultAsync(JobView job, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await session.OpenAsync($"/{id:D}/result", form.Accept, after: null, cancellationToken);
            if (response.StatusCode == HttpStatusCode.Accepted || JobsAnswer.MayPass((int)response.StatusCode) && job.HasSucceeded)
            {
                return null;
            }

            if (!response.IsSuccessStatusCode)
            {
                await _printer.PrintProblemAsync(response, cancellationToken);
                return job.HasSucceeded ? ExitCodes.Failure : ExitCodes.JobFailed;
            }

            return response.StatusCode == HttpStatusCode.NoContent ? ExitCodes.Success : await _printer.PrintResultAsync(job.Kind, form.MustBeJson, response.Content, cancellationToken);
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            return await _printer.FailAsync(job.Kind, failure.Message);
        }
        catch (JobsException failure) when (failure.IsPassing)
        {
            return null;
        }
    }

    private async Task<int> ItemsAsync(CancellationToken cancellationToken)
    {
        // Items on a terminal are progress enough.
        var progress = new JobProgress(console, isShown: !console.IsOutputTerminal);
        using var reading = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var items = new JobItems(session, id, form.MostBytes, progress, console);
        var end = await progress.RunAsync(async () =>
        {
            var watching = console.IsOutputTerminal ? Task.CompletedTask : WatchAsync(progress, reading.Token);
            try
            {
                return await items.ReadAsync(new ItemsOutput(form.IsLines, console), async () => await StateAsync(cancellationToken) is { HasEnded: false }, cancellationToken);
            }
            finally
            {
                await reading.CancelAsync();
                await watching;
            }
        });

        if (end.IsComplete)
        {
            return ExitCodes.Success;
        }

        if (end.Reason is not null)
        {
            return await _printer.FailAsync(id.ToString(), $"the items are not complete: {end.Reason}");
        }

        await _printer.PrintProblemAsync(end.Status, end.Problem);
        return await StateAsync(cancellationToken) is { HasEnded: true, HasSucceeded: false } ? ExitCodes.JobFailed : ExitCodes.Failure;
    }

    // Beside the items, which say by themselves when the server is away.
    private async Task WatchAsync(JobProgress progress, CancellationToken cancellationToken)
    {
        try
        {
            await new JobWatch(session, id, progress, console).UntilEndedAsync(isKnown: false, cancellationToken);
        }
        catch (Exception failure) when (failure is JobsException or OperationCanceledException)
        {
            // The items continue without it.
        }
    }

    private async Task<JobView?> StateAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await session.SendAsync(HttpMethod.Get, $"/{id:D}", cancellationToken) is { IsSuccess: true } answer ? answer.Job() : null;
        }
        catch (JobsException)
        {
            return null;
        }
    }
}
