using Spectre.Console;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>
/// Shows on standard error how a job proceeds: as one line that changes on a terminal, and as a line for each change elsewhere. The methods may be called concurrently.
/// </summary>
/// <param name="console">Where it is shown.</param>
/// <param name="isShown">Whether it is shown at all: beside items on the same terminal it is not. What hinders it always is.</param>
internal sealed class JobProgress(CommandConsole console, bool isShown)
{
    private readonly Lock _gate = new();
    private readonly long _began = console.Time.GetTimestamp();
    private readonly IAnsiConsole? _display = isShown && console.IsErrorTerminal ? console.ErrorDisplay() : null;

    // Guarded by the gate.
    private Action<string>? _update;
    private JobView? _job;
    private string? _trouble;
    private string? _last;

    /// <summary>Shows it while something runs.</summary>
    /// <param name="run">What runs.</param>
    public async Task<T> RunAsync<T>(Func<Task<T>> run) => _display is null ? await run() : await _display.Live(Text.Empty).AutoClear(true).StartAsync(async live =>
    {
        SetUpdate(line => live.UpdateTarget(new Text(line)));
        try
        {
            return await run();
        }
        finally
        {
            SetUpdate(null);
        }
    });

    /// <summary>The job as it is now.</summary>
    public void Show(JobView job)
    {
        lock (_gate)
        {
            // An end that was there from the beginning is no progress.
            var isNews = _job is not null || !job.HasEnded;
            (_job, _trouble) = (job, null);
            Write_NeedsLock(isShown && isNews ? job.Line : null);
        }
    }

    /// <summary>Why the server cannot be asked at the moment.</summary>
    public void Hinder(string reason)
    {
        lock (_gate)
        {
            _trouble = $"{reason.TrimEnd('.')}; the job does not depend on it, trying again";
            Write_NeedsLock(_trouble);
        }
    }

    private void SetUpdate(Action<string>? update)
    {
        lock (_gate)
        {
            _update = update;
        }
    }

    private void Write_NeedsLock(string? line)
    {
        if (_update is not null && _job is not null)
        {
            _update(JobBar.Line(_job, _trouble, console.Time.GetElapsedTime(_began), _display!.Profile.Capabilities.Unicode, _display.Profile.Width));
        }
        else if (line is not null && line != _last)
        {
            _last = line;
            console.Error.WriteLine($"weir: {line}");
        }
    }
}
