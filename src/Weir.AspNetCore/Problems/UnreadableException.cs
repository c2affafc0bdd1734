using System.Diagnostics;

namespace Weir.AspNetCore.Problems;

/// <summary>Stands in the log for an exception that cannot be written: one of its members throws.</summary>
internal sealed class UnreadableException : Exception
{
    /// <param name="error">What an operation threw. Not kept: code that reads it fails again.</param>
    /// <param name="failure">What was thrown while it was written.</param>
    internal UnreadableException(Exception error, Exception failure)
        : base($"{error.GetType()} cannot be written, because {failure.GetType()} is thrown by one of its members (Message, StackTrace, Data or ToString). It was thrown {Place(error)}.")
    {
    }

    // The exception's own members are not asked.
    private static string Place(Exception error)
    {
        try
        {
            var frames = new StackTrace(error, fNeedFileInfo: true).ToString().TrimEnd();
            return frames.Length > 0 ? Environment.NewLine + frames + Environment.NewLine : "at an unknown place";
        }
        catch (Exception)
        {
            return "at an unknown place";
        }
    }
}
