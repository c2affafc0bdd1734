using System.Globalization;

namespace Weir.Execution.Lanes;

/// <summary>Half of the processes and threads that the control group allows, where there is such a limit.</summary>
internal static class ThreadLimit
{
    // cgroup v2, then v1, as a container mounts them; pids.max counts threads (kernel: admin-guide/cgroup-v2, "PID").
    private static readonly string[] Files = ["/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"];

    internal static int? Read()
    {
        foreach (var file in Files)
        {
            try
            {
                if (File.Exists(file) && int.TryParse(File.ReadAllText(file).Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out var limit))
                {
                    return Math.Max(1, limit / 2);
                }
            }
            catch (IOException)
            {
                // If the file is not readable, no limit is known.
            }
            catch (UnauthorizedAccessException)
            {
            }
        }

        return null;
    }
}
