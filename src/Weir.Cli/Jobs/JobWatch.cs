using System.Globalization;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>Asks for a job until it has ended. Each request is answered when it has ended, or after a second or some: more often, only its progress would be seen.</summary>
/// <param name="session">Sends the requests.</param>
/// <param name="id">The job.</param>
/// <param name="progress">Shows it.</param>
/// <param name="console">Its clock.</param>
internal sealed class JobWatch(JobsSession session, Guid id, JobProgress progress, CommandConsole console)
{
    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);

    /// <summary>The last answer; <c>null</c> before the first one.</summary>
    public JobsAnswer? Last { get; private set; }

    /// <summary>Waits for its end.</summary>
    /// <param name="isKnown">Whether the server has answered before: then it may be away for a while.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <returns>The answer that has the ended job, or a problem.</returns>
    /// <exception cref="JobsException">The server cannot be reached.</exception>
    public async Task<JobsAnswer> UntilEndedAsync(bool isKnown, CancellationToken cancellationToken)
    {
        var patience = new Patience(console.Time);
        int? wait = null;
        var (seen, unchanged) = ("", 0);
        while (true)
        {
            var began = console.Time.GetTimestamp();
            JobsAnswer answer;
            try
            {
                answer = await session.SendAsync(HttpMethod.Get, $"/{id:D}", cancellationToken, wait);
            }
            catch (JobsException failure) when (failure.IsPassing && isKnown)
            {
                progress.Hinder(failure.Message);
                if (!await patience.WaitAsync(null, cancellationToken))
                {
                    throw;
                }

                continue;
            }

            if (answer.IsPassing && isKnown)
            {
                progress.Hinder(string.Create(CultureInfo.InvariantCulture, $"{answer.Address} answered {answer.Status}"));
                if (!await patience.WaitAsync(answer.RetryAfter, cancellationToken))
                {
                    return answer;
                }

                continue;
            }

            if (!answer.IsSuccess)
            {
                return answer;
            }

            var job = answer.Job();
            Last = answer;
            isKnown = true;
            patience.Renew();
            progress.Show(job);
            if (job.HasEnded)
            {
                return answer;
            }

            (seen, unchanged) = (job.Line, job.Line == seen ? unchanged + 1 : 0);
            await PauseAsync(answer, wait, console.Time.GetElapsedTime(began), cancellationToken);
            wait = unchanged < 10 ? 1 : unchanged < 30 ? 2 : 5;
        }
    }

    // Where the server did not wait: it has too many that wait, or is none that can.
    private async Task PauseAsync(JobsAnswer answer, int? wait, TimeSpan taken, CancellationToken cancellationToken)
    {
        var asked = answer.RetryAfter is { } after && after > Shortest ? after : Shortest;
        if (wait is not null && taken < Shortest * 0.9)
        {
            await Task.Delay((asked < Shortest * 60 ? asked : Shortest * 60) - taken, console.Time, cancellationToken);
        }
    }
}
