using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Problems;
using Weir.Jobs.AspNetCore.Problems;
using Weir.Jobs.Storage;

namespace Weir.Jobs.AspNetCore.Items;

/// <summary>Where a reader of items begins.</summary>
/// <param name="Name">What is before the index in an item's id: the job, and after a retry by hand also which one.</param>
/// <param name="Next">The index of the first item.</param>
/// <param name="IsContinued">Whether the request says what it has received.</param>
/// <param name="Refusal">Why it cannot begin there; <c>null</c> where it can.</param>
internal readonly record struct ItemPosition(string Name, long Next, bool IsContinued, Problem? Refusal)
{
    /// <summary>Where the reader of a job begins.</summary>
    /// <param name="job">The job.</param>
    /// <param name="last">What the request says of the item that it has received last; empty for nothing.</param>
    public static ItemPosition Of(JobRecord job, StringValues last)
    {
        var name = job.Run == 0 ? job.Id.ToString() : string.Create(CultureInfo.InvariantCulture, $"{job.Id}-{job.Run}");
        if (last.Count == 0)
        {
            return new ItemPosition(name, 0, IsContinued: false, null);
        }

        if (!TryParse(job, last.Count == 1 ? last[0] : null, out var run, out var index))
        {
            return new ItemPosition(name, 0, IsContinued: true, new Problem(
                StatusCodes.Status400BadRequest, WeirCodes.BadArguments, $"{LastEventId.Header} must be the id of an item of this job, {name}.{{index}}, as its stream has sent it. Leave it out to begin with the first item."));
        }

        // The name says that it is the same run. An index that the job does not have yet is waited for.
        return run == job.Run
            ? new ItemPosition(name, index + 1, IsContinued: true, null)
            : new ItemPosition(name, 0, IsContinued: true, JobProblems.Gone(job.Id, $"its items were dropped when it was begun again by hand. Leave {LastEventId.Header} out to read the new ones"));
    }

    // {job}.{index}, or {job}-{run}.{index}.
    private static bool TryParse(JobRecord job, ReadOnlySpan<char> text, out int run, out long index)
    {
        (run, index) = (0, 0);
        var point = text.LastIndexOf('.');
        var id = job.Id.ToString();
        if (point < id.Length || !text.StartsWith(id, StringComparison.Ordinal) || !LastEventId.TryParseIndex(text[(point + 1)..], out index) || index == long.MaxValue)
        {
            return false;
        }

        var rest = text[id.Length..point];
        return rest.IsEmpty || (rest[0] == '-' && int.TryParse(rest[1..], NumberStyles.None, CultureInfo.InvariantCulture, out run) && run > 0);
    }
}
