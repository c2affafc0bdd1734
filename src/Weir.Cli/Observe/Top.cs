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
            var text = await session.GetTextAsync(new TopView().Request, cancellationToken);
            await console.OutputDisplay().Live(Screen(text, [])).Overflow(VerticalOverflow.Crop).Cropping(VerticalOverflowCropping.Bottom)
                .StartAsync(screen => ShowAsync(screen, text, interval, count, cancellationToken));
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

    private async Task ShowAsync(LiveDisplayContext screen, string text, TimeSpan interval, int? count, CancellationToken cancellationToken)
    {
        var (view, shown) = (new TopView(), 1);
        while (count is null || shown < count)
        {
            if (await NextAsync(view, interval, cancellationToken) is not { } next)
            {
                return;
            }

            // Another view of a moment that is over cannot be had: it stands still at the moment of the key.
            var isAsked = !next.IsFrozen || next.Request != view.Request;
            view = next;
            var notes = view.Notes().ToList();
            if (isAsked)
            {
                try
                {
                    text = await session.GetTextAsync(view.Request, cancellationToken);
                    shown++;
                }
                catch (DashboardException failure) when (failure.IsPassing)
                {
                    notes.Insert(0, failure.Message);
                }
            }

            screen.UpdateTarget(Screen(text, notes));
        }
    }

    // The view after the next key, or the same after the interval; null for the end.
    private async Task<TopView?> NextAsync(TopView view, TimeSpan interval, CancellationToken cancellationToken)
    {
        var began = console.Time.GetTimestamp();
        while (console.Time.GetElapsedTime(began) < interval)
        {
            if (console.ReadKey() is not { } key)
            {
                await Task.Delay(KeyInterval, console.Time, cancellationToken);
            }
            else if (key == 'q')
            {
                return null;
            }
            else if (view.Press(key) is var next && next != view)
            {
                return next;
            }
        }

        return view;
    }

    // What is wrong in colours; the words say it, too.
    private static Rows Screen(string text, IEnumerable<string> notes)
    {
        var lines = SafeText.Of(text, keepsLines: true).Split('\n').Select(static line => (IRenderable)new Text(line, line switch
        {
            ['✗', ..] => new Style(Color.Red),
            ['!', ..] => new Style(Color.Yellow),
            _ => Style.Plain,
        }));
        return new Rows(notes.Select(static note => (IRenderable)new Text(SafeText.Of(note, keepsLines: false), new Style(Color.Yellow))).Concat(lines));
    }
}
