using System.Globalization;
using Weir.Lab.Isolation;

namespace Weir.Lab.Measuring;

/// <summary>The outcome of every call of a chaos run: what the callers recorded, compared with what the workers wrote.</summary>
internal sealed class WitnessFiles
{
    private const string Workers = "worker-";

    // Of each failed call the worker that it was lost with, as its exception says; 0 where it names none.
    private readonly List<int> _lostWith = [];

    public WitnessFiles(IEnumerable<string> host, IEnumerable<string> workers)
    {
        var began = new Dictionary<long, int>();
        var ended = new HashSet<long>();
        foreach (var (what, number, _) in workers.Select(Parse))
        {
            if (what == "b")
                began[number] = began.GetValueOrDefault(number) + 1;
            else
                ended.Add(number);
        }

        var said = host.Select(Parse).Where(item => item.Number >= 0).ToLookup(item => item.Number);
        Made = said.Count;
        foreach (var call in said)
        {
            Said[] endings = [.. call.Where(item => item.What != "made")];
            Doubled += began.GetValueOrDefault(call.Key) > 1 || endings.Length > 1 ? 1 : 0;
            var ending = endings.FirstOrDefault();
            if (ending.What == "failed")
                _lostWith.Add(ending.Process);
            switch (ending.What)
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
                case "hung":
                    Hung++;
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

    /// <summary>Reported as succeeded, and never finished by a worker.</summary>
    public int NeverDone { get; }

    /// <summary>Without an outcome: lost if their caller has exited or reported that it finished, hung if it still waits.</summary>
    public int Unended { get; }

    /// <summary>Given up by their caller, which had waited long enough.</summary>
    public int Hung { get; }

    /// <summary>Ran twice, or ended twice.</summary>
    public int Doubled { get; }

    /// <summary>Failed while their worker ran them: the price of a kill.</summary>
    public int FailedRunning { get; }

    /// <summary>Failed although no worker had written down that it began them.</summary>
    public int FailedWaiting { get; }

    /// <summary>Failed calls whose exception does not name a worker that ended while it ran them.</summary>
    public int FailedUnnamed => _lostWith.Count(static process => process == 0);

    /// <summary>
    /// Failed calls that no kill explains: a worker runs one call, so a killed one may lose one, and the exception names the
    /// worker. All others count, also a call that was reported lost with no worker, or with a worker that was not killed.
    /// </summary>
    public int FailedBeyondOneOf(IReadOnlySet<int> killed) => _lostWith.Count - _lostWith.Where(killed.Contains).Distinct().Count();

    /// <summary>Reads the folder of a run.</summary>
    public static WitnessFiles Read(string folder)
    {
        var host = Path.Combine(folder, "host");
        return new WitnessFiles(
            File.Exists(host) ? File.ReadLines(host) : [],
            Directory.GetFiles(folder, $"{Workers}*").SelectMany(File.ReadLines));
    }

    /// <summary>Whether the process of that id has run a call of this run: only if it is killed can a call be lost.</summary>
    public static bool HasRun(string folder, int pid) =>
        File.Exists(Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"{Workers}{pid}")));

    /// <summary>Notifies the contender that it has called often enough.</summary>
    public static void SayEnough(string folder) => File.WriteAllText(Path.Combine(folder, Witness.Enough), "");

    private static Said Parse(string line)
    {
        var words = line.Split(' ');
        var process = 0;
        return words.Length is 2 or 3 && long.TryParse(words[1], CultureInfo.InvariantCulture, out var number)
            && (words.Length == 2 || int.TryParse(words[2], CultureInfo.InvariantCulture, out process))
                ? new Said(words[0], number, process)
                : new Said("", -1, 0);
    }

    // A line: the outcome of a call, and the process that it was lost with, if one was named.
    private readonly record struct Said(string What, long Number, int Process);
}
