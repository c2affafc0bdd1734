using System.Globalization;

namespace Weir.Lab.Measuring;

/// <summary>What became of every call of a chaos run: the callers' endings beside what the workers wrote of themselves.</summary>
internal sealed class WitnessFiles
{
    public WitnessFiles(IEnumerable<string> host, IEnumerable<string> workers, int calls)
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

        var endings = host.Select(Parse).ToLookup(item => item.Number, item => item.What);
        for (long number = 0; number < calls; number++)
        {
            var seen = endings[number].ToArray();
            Doubled += began.GetValueOrDefault(number) > 1 || seen.Length > 1 ? 1 : 0;
            switch (seen.FirstOrDefault())
            {
                case "ok" when ended.Contains(number):
                    Succeeded++;
                    break;
                case "failed" when began.ContainsKey(number):
                    FailedRunning++;
                    break;
                case "failed":
                    FailedWaiting++;
                    break;
                default:
                    Lost++;
                    break;
            }
        }
    }

    public int Succeeded { get; }

    /// <summary>Without an ending, or said to be done and never done.</summary>
    public int Lost { get; }

    /// <summary>Ran twice, or ended twice.</summary>
    public int Doubled { get; }

    /// <summary>Failed while their worker ran them: the price of a kill.</summary>
    public int FailedRunning { get; }

    /// <summary>Failed although no worker had begun them.</summary>
    public int FailedWaiting { get; }

    /// <summary>Reads the folder of a run.</summary>
    public static WitnessFiles Read(string folder, int calls)
    {
        var host = Path.Combine(folder, "host");
        return new WitnessFiles(
            File.Exists(host) ? File.ReadLines(host) : [],
            Directory.GetFiles(folder, "worker-*").SelectMany(File.ReadLines),
            calls);
    }

    private static (string What, long Number) Parse(string line)
    {
        var words = line.Split(' ');
        return words.Length == 2 && long.TryParse(words[1], CultureInfo.InvariantCulture, out var number) ? (words[0], number) : ("", -1);
    }
}
