using System.Globalization;

namespace Weir.Execution.Observation;

/// <summary>Reads how much memory a process holds.</summary>
internal static class ProcessMemory
{
    /// <param name="processId">The process.</param>
    /// <returns>The resident memory in bytes; <c>null</c> where the process is gone, or the operating system does not say it in <c>/proc</c>.</returns>
    public static long? Read(int processId)
    {
        try
        {
            // Pages: all of the program, then what is resident of it.
            var words = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{processId}/statm")).Split(' ');
            return long.Parse(words[1], CultureInfo.InvariantCulture) * Environment.SystemPageSize;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
