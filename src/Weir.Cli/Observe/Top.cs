using Spectre.Console;
using Spectre.Console.Rendering;
using Weir.Cli.Terminal;

namespace Weir.Cli.Observe;

/// <summary><c>weir top</c>.</summary>
/// <param name="session">The dashboard.</param>
/// <param name="console">Where it is shown.</param>
internal sealed class Top(DashboardSession session, CommandConsole console)
{
    private static readonly TimeSpan KeyInterval = TimeSpan.FromMilliseconds(50);

    /// <summary>Shows it until it was shown so often, or a key ends it. Where a screen is not written to, each time is printed.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="DashboardException">There is no first answer.</exception>
    public async Task<int> RunAsync(TimeSpan interval, int? count, CancellationToken cancellationToken)
    {
        if (console.IsOutputTerminal)
        {
            await console.OutputDisplay().Live(View(await session.GetTextAsync("ps", cancellationToken), null)).Overflow(VerticalOverflow.Crop).Cropping(VerticalOverflowCropping.Bottom)
                .StartAsync(screen => ShowAsync(screen, interval, count, cancellationToken));
            return ExitCodes.Success;
        }

        for (var shown = 0; count is null || shown < count; shown++)
        {
            if (shown > 0)
            {
                await Task.Delay(interval, console.Time, cancellationToken);
                await console.Out.WriteLineAsync();
            }

            await console.Out.WriteAsync(await session.GetTextAsync("ps", cancellationToken));
        }

        return ExitCodes.Success;
    }

    private async Task ShowAsync(LiveDisplayContext screen, TimeSpan interval, int? count, CancellationToken cancellationToken)
    {
        var (isFrozen, text) = (false, "");
        for (var shown = 1; count is null || shown < count;)
        {
            var (isOver, isToggled) = await WaitAsync(interval, cancellationToken);
            if (isOver)
            {
                return;
            }

            isFrozen ^= isToggled;
            string? note = isFrozen ? "Frozen: p continues, q ends." : null;
            if (!isFrozen)
            {
                try
                {
                    text = await session.GetTextAsync("ps", cancellationToken);
                    shown++;
                }
                catch (DashboardException failure) when (failure.IsPassing)
                {
                    note = failure.Message;
                }
            }

            screen.UpdateTarget(View(text, note));
        }
    }

    private async Task<(bool IsOver, bool IsToggled)> WaitAsync(TimeSpan interval, CancellationToken cancellationToken)
    {
        var began = console.Time.GetTimestamp();
        while (console.Time.GetElapsedTime(began) < interval)
        {
            switch (console.ReadKey())
            {
                case 'q':
                    return (true, false);
                case 'p':
                    return (false, true);
                default:
                    await Task.Delay(KeyInterval, console.Time, cancellationToken);
                    break;
            }
        }

        return (false, false);
    }

    // What is wrong in colours; the words say it, too.
    private static Rows View(string text, string? note)
    {
        var lines = SafeText.Of(text, keepsLines: true).Split('\n').Select(static line => (IRenderable)new Text(line, line switch
        {
            ['✗', ..] => new Style(Color.Red),
            ['!', ..] => new Style(Color.Yellow),
            _ => Style.Plain,
        }));
        return new Rows(note is null ? lines : lines.Prepend(new Text(SafeText.Of(note, keepsLines: false), new Style(Color.Yellow))));
    }
}
