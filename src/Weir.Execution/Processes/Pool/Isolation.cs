using System.Text;

namespace Weir.Execution.Processes;

/// <summary>Says what keeps a pool's workers apart on this machine: only what is applied, or the start fails.</summary>
internal static class Isolation
{
    public static string Describe(PoolOptions options)
    {
        var text = new StringBuilder("process: own memory and statics, own process group, private channels, ends with the host, no core dumps");
        if (options.MemoryLimitBytes is { } bytes)
        {
            text.Append(System.Globalization.CultureInfo.InvariantCulture, $", memory limit {bytes >> 20} MB (RLIMIT_DATA)");
        }

        return text.ToString();
    }
}
