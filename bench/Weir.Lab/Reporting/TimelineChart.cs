using System.Globalization;
using System.Text;
using Weir.Lab.Engine;

namespace Weir.Lab.Reporting;

/// <summary>How many processes there were, as bars that grow and shrink; a line for every moment at which something changed.</summary>
internal static class TimelineChart
{
    // What changes within this time is one change to a reader.
    private const double Moment = 0.1;

    public static string Text(IReadOnlyList<TimelineEvent> events)
    {
        var text = new StringBuilder();
        var alive = 0;
        foreach (var moment in events.OrderBy(item => item.Seconds).GroupBy(item => Math.Floor(item.Seconds / Moment)))
        {
            alive += moment.Count(item => item.What == "started") - moment.Count(item => item.What == "ended");
            var marks = string.Join(", ", moment.Select(item => item.What).Where(what => what is not ("started" or "ended")).Distinct());
            var bar = alive > 0 ? new string('█', alive) : "–";
            text.Append(string.Create(CultureInfo.InvariantCulture, $"{moment.Key * Moment,6:0.0} s  {bar} {marks}").TrimEnd()).Append('\n');
        }

        return text.ToString();
    }
}
