using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Processes;

/// <summary>Rounds whose figures came as lines.</summary>
internal static class Rounds
{
    public static Round Of(IEnumerable<ControlLine> lines)
    {
        var round = new Round();
        foreach (var line in lines)
            round.Take(line);
        return round;
    }

    /// <summary>Adds what a line says; false when it says that the round is over.</summary>
    public static bool Take(this Round round, ControlLine line)
    {
        switch (line.Verb)
        {
            case "reading":
                round.Add(line["metric"], line.Number("value"), line["unit"]);
                return true;
            case "event":
                round.Note(line.Number("at"), line["what"], line.Number("value"));
                return true;
            default:
                return false;
        }
    }
}
