using System.Globalization;
using System.Text;
using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>How many processes there were over time, as a drawing of steps.</summary>
internal static class TimelineDrawing
{
    private const int Width = 720;
    private const int StepHeight = 14;

    public static string Svg(IReadOnlyList<TimelineEvent> events)
    {
        var ordered = events.OrderBy(item => item.Seconds).ToArray();
        var longest = Math.Max(0.1, ordered[^1].Seconds);
        var most = Most(ordered);
        var height = (most + 2) * StepHeight;
        var path = new StringBuilder(string.Create(CultureInfo.InvariantCulture, $"M0 {height - StepHeight}"));
        var marks = new StringBuilder();
        var alive = 0;
        foreach (var item in ordered)
        {
            var x = item.Seconds / longest * Width;
            if (item.What is "started" or "ended")
            {
                alive += item.What == "started" ? 1 : -1;
                path.Append(CultureInfo.InvariantCulture, $" H{x:0.#} V{height - ((alive + 1) * StepHeight)}");
            }
            else
            {
                marks.Append(CultureInfo.InvariantCulture, $"<text x=\"{x:0.#}\" y=\"{StepHeight}\" font-size=\"10\" fill=\"currentColor\">{item.What} {item.Seconds:0.0} s</text>");
            }
        }

        return string.Create(
            CultureInfo.InvariantCulture,
            $"<svg viewBox=\"0 0 {Width + 60} {height}\" width=\"{Width + 60}\"><path d=\"{path} H{Width}\" fill=\"none\" stroke=\"#4c8dff\" stroke-width=\"2\"/>{marks}</svg>");
    }

    private static int Most(IReadOnlyList<TimelineEvent> ordered)
    {
        var (alive, most) = (0, 1);
        foreach (var item in ordered)
        {
            alive += item.What switch { "started" => 1, "ended" => -1, _ => 0 };
            most = Math.Max(most, alive);
        }

        return most;
    }
}
