using System.Collections;
using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Files;

/// <summary>Files that are enumerated once, as they arrive: an advance waits for the next one. Their number is known at the end. Not for concurrent use.</summary>
/// <param name="files">Where they arrive.</param>
internal sealed class ReceivedFileList(ReceivedFiles files) : IReadOnlyList<IFormFile>
{
    // Without content; as many as the sender's form has, and its limits and the operation that enumerates bound that.
    private readonly List<IFormFile> _seen = [];
    private int _isEnumerated;

    /// <summary>Where they arrive.</summary>
    public ReceivedFiles Files => files;

    /// <summary>Whether they were not enumerated yet.</summary>
    public bool IsUnread => _isEnumerated == 0;

    public int Count => files.HasEnded ? _seen.Count : throw NotKnown();

    public IFormFile this[int index] => files.HasEnded ? _seen[index] : throw NotKnown();

    public IEnumerator<IFormFile> GetEnumerator()
    {
        if (Interlocked.Exchange(ref _isEnumerated, 1) != 0)
        {
            throw new InvalidOperationException("The files can be enumerated once, because they are read while they arrive; store what is needed again.");
        }

        return Enumerate();
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private IEnumerator<IFormFile> Enumerate()
    {
        while (Next() is { } file)
        {
            _seen.Add(file);
            yield return file;
        }
    }

    // An enumerator of a list cannot wait in another way.
    private ReceivedFile? Next()
    {
        var next = files.NextAsync(CancellationToken.None);
        return next.IsCompletedSuccessfully ? next.Result : next.AsTask().GetAwaiter().GetResult();
    }

    private static NotSupportedException NotKnown() =>
        new("How many files there are is not known before the last one has arrived: enumerate them with foreach, and read each file before the next one.");
}
