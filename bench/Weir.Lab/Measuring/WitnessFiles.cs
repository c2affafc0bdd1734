using System.Globalization;
using Weir.Lab.Isolation;

namespace Weir.Lab.Measuring;

/// <summary>What became of every call of a chaos run: what the callers made and saw end, beside what the workers wrote of themselves.</summary>
internal sealed class WitnessFiles
{
    private const string Workers = "worker-";

    public WitnessFiles(IEnumerable<string> host, IEnumerable<string> workers)
    {
        var began = new Dictionary<long, int>();
        var ended = new HashSet<long>();
        foreach (var (what, number) in workers.Select(Parse))
        {
            if (what == "b")
                began[number] = began.GetValueOrDefault(number) + 1;
            else
                ended.Add(number);
        }

        var said = host.Select(Parse).Where(item => item.Number >= 0).ToLookup(item => item.Number, item => item.What);
        Made = said.Count;
        foreach (var call in said)
        {
            string[] endings = [.. call.Where(what => what != "made")];
            Doubled += began.GetValueOrDefault(call.Key) > 1 || endings.Length > 1 ? 1 : 0;
            switch (endings.FirstOrDefault())
            {
                case "ok" when ended.Contains(call.Key):
                    Succeeded++;
                    break;
                case "ok":
                    NeverDone++;
                    break;
                case "failed" when began.ContainsKey(call.Key):
                    FailedRunning++;
                    break;
                case "failed":
                    FailedWaiting++;
                    break;
                default:
                    Unended++;
                    break;
            }
        }
    }

    /// <summary>Calls that were made.</summary>
    public int Made { get; }

    public int Succeeded { get; }

    /// <summary>Said to be done and never done.</summary>
    public int NeverDone { get; }

    /// <summary>Without an ending: lost when their caller is gone or said to be through, hung when he still waits.</summary>
    public int Unended { get; }

    /// <summary>Ran twice, or ended twice.</summary>
    public int Doubled { get; }

    /// <summary>Failed while their worker ran them: the price of a kill.</summary>
    public int FailedRunning { get; }

    /// <summary>Failed although no worker had begun them.</summary>
    public int FailedWaiting { get; }

    /// <summary>Reads the folder of a run.</summary>
    public static WitnessFiles Read(string folder)
    {
        var host = Path.Combine(folder, "host");
        return new WitnessFiles(
            File.Exists(host) ? File.ReadLines(host) : [],
            Directory.GetFiles(folder, $"{Workers}*").SelectMany(File.ReadLines));
    }

    /// <summary>Whether the process of that id has run a call of this run: only its death can cost one.</summary>
    public static bool HasRun(string folder, int pid) =>
        File.Exists(Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"{Workers}{pid}")));

    /// <summary>Tells the contender that it has called often enough.</summary>
    public static void SayEnough(string folder) => File.WriteAllText(Path.Combine(folder, Witness.Enough), "");

    private static (string What, long Number) Parse(string line)
    {
        var words = line.Split(' ');
        return words.Length == 2 && long.TryParse(words[1], CultureInfo.InvariantCulture, out var number) ? (words[0], number) : ("", -1);
    }
}
