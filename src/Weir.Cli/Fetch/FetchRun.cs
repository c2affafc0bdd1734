using System.Globalization;
using System.Runtime.CompilerServices;
using Spectre.Console;
using Weir.Cli.Terminal;

namespace Weir.Cli.Fetch;

/// <summary>One <c>weir fetch</c> from its beginning to its exit code.</summary>
internal sealed class FetchRun(FetchSettings settings, CommandConsole console)
{
    // On a terminal, failures after these are only counted.
    private const int MostFailuresShown = 10;

    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(100);

    private bool PrintsLines => settings.Json || !console.IsOutputTerminal;

    /// <param name="interrupted">Fires on Ctrl-C.</param>
    /// <exception cref="InputException">An input is wrong.</exception>
    public async Task<int> RunAsync(CancellationToken interrupted)
    {
        // 1. Open everything: an error here has sent nothing.
        using var list = AddressList.Open(settings, console);
        var folder = settings.Output is { } output ? BodyFolder.Open(output, console.PathOf(output)) : null;
        using var journal = settings.Resume is { } resume ? Journal.Open(resume, console.PathOf(resume)) : Journal.Temporary();
        var all = list.CanRepeat && (console.IsErrorTerminal || settings.Resume is not null) ? await CheckAsync(list, journal, interrupted) : (long?)null;

        // 2. Fetch, with a line of progress where a person sees it.
        using var stopping = CancellationTokenSource.CreateLinkedTokenSource(interrupted);
        using var sender = new FetchSender(settings, folder, stopping.Token);
        using var lines = PrintsLines ? new JsonLines(console.Output, console.Time) : null;
        var display = PrintsLines && !console.IsErrorTerminal ? null : console.ErrorDisplay();
        var shown = 0;
        var report = new FetchReport(console.Time, lines, journal)
        {
            Failed = PrintsLines || display is null ? null : failure => Show(display, failure, ++shown),
        };
        var failed = await ShowAsync(display, show => FetchAsync(list, journal, sender, report, () => show(report.Read(all, sender.InFlight)), stopping));

        // 3. Say what came of it.
        var summary = report.Summarize();
        if (!PrintsLines || console.IsErrorTerminal)
        {
            await console.Error.WriteLineAsync(summary.ToString());
        }

        if (failed is not null)
        {
            await console.Error.WriteLineAsync($"weir: the outcomes cannot be written: {failed.Message}");
            return ExitCodes.Failure;
        }

        if (interrupted.IsCancellationRequested)
        {
            await LeaveAsync(journal);
            return ExitCodes.Interrupted;
        }

        if (report.FirstFailure is not { } first)
        {
            return ExitCodes.Success;
        }

        await console.Error.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"weir: {summary.Failed} of {summary.Failed + summary.Succeeded} failed, the first: {first.Text}: {first.Reason}"));
        return ExitCodes.Failure;
    }

    // Counts the list, and makes sure that the journal belongs to it before anything is sent.
    private static async Task<long> CheckAsync(AddressList list, Journal journal, CancellationToken cancellationToken)
    {
        var count = 0L;
        await foreach (var address in list.ReadAsync(cancellationToken))
        {
            journal.Contains(address);
            count++;
        }

        return count;
    }

    /// <returns>Why outcomes could not be written; <c>null</c> if they were.</returns>
    private async Task<IOException?> FetchAsync(AddressList list, Journal journal, FetchSender sender, FetchReport report, Action show, CancellationTokenSource stopping)
    {
        using var ended = new CancellationTokenSource();
        var ticking = TickAsync(report, show, stopping, ended.Token);
        IOException? failed = null;
        try
        {
            await foreach (var outcome in sender.SendAsync(RemainingAsync(list, journal, report, stopping.Token)))
            {
                report.Add(outcome);
            }

            report.Flush();
        }
        catch (IOException failure)
        {
            failed = failure;
        }
        catch (InputException)
        {
            // What the journal has must have been printed.
            report.Flush();
            throw;
        }
        finally
        {
            await ended.CancelAsync();
        }

        return await ticking ?? failed;
    }

    private async Task<IOException?> TickAsync(FetchReport report, Action show, CancellationTokenSource stopping, CancellationToken ended)
    {
        try
        {
            using var timer = new PeriodicTimer(Tick, console.Time);
            while (await timer.WaitForNextTickAsync(ended))
            {
                report.Flush();
                show();
            }
        }
        catch (OperationCanceledException)
        {
            // The fetch has ended.
        }
        catch (IOException failure)
        {
            await stopping.CancelAsync();
            return failure;
        }

        return null;
    }

    // Ends at an interruption, like a list that ends there.
    private static async IAsyncEnumerable<Address> RemainingAsync(AddressList list, Journal journal, FetchReport report, CancellationToken interrupted, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await using var addresses = list.ReadAsync(interrupted).GetAsyncEnumerator(cancellationToken);
        while (await MoveAsync())
        {
            var address = addresses.Current;
            if (address.Problem is { } problem)
            {
                report.Add(new FetchOutcome(address.Index, address.Text) { Error = problem });
            }
            else if (journal.Contains(address))
            {
                report.Skip();
            }
            else
            {
                yield return address;
            }
        }

        async ValueTask<bool> MoveAsync()
        {
            try
            {
                return !interrupted.IsCancellationRequested && await addresses.MoveNextAsync();
            }
            catch (OperationCanceledException) when (interrupted.IsCancellationRequested)
            {
                return false;
            }
        }
    }

    private static void Show(IAnsiConsole display, FetchOutcome failure, int number)
    {
        if (number <= MostFailuresShown)
        {
            display.WriteLine(SafeText.Of($"{failure.Text}: {failure.Reason}", keepsLines: false));
        }
        else if (number == MostFailuresShown + 1)
        {
            display.WriteLine("further failures are counted; --json lists them all");
        }
    }

    private async Task<IOException?> ShowAsync(IAnsiConsole? display, Func<Action<FetchFigures>, Task<IOException?>> fetch)
    {
        if (display is null || !console.IsErrorTerminal)
        {
            return await fetch(static _ => { });
        }

        IOException? failed = null;
        await display.Live(Text.Empty).AutoClear(true).StartAsync(async live => failed = await fetch(figures => live.UpdateTarget(new Text(figures.Line(display.Profile.Width)))));
        return failed;
    }

    private async Task LeaveAsync(Journal journal)
    {
        var name = settings.Resume;
        if (name is null)
        {
            name = string.Create(CultureInfo.InvariantCulture, $"weir-fetch-{console.Time.GetUtcNow():yyyyMMdd-HHmmss-fff}.journal");
            try
            {
                journal.SaveAs(console.PathOf(name));
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                await console.Error.WriteLineAsync($"weir: interrupted, and no journal could be left: {failure.Message}");
                return;
            }
        }

        var list = settings.Input == "-" ? ", with the same list on standard input" : "";
        await console.Error.WriteLineAsync($"weir: interrupted; this continues{list}: {FetchCommandLine.Of(settings with { Resume = name })}");
    }
}
