namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>What a process did with a file of the store, or with the file in which it says what it has done.</summary>
internal enum DiskCall
{
    /// <summary>A file that was not there has a name.</summary>
    Create,

    /// <summary>A file has no name any more.</summary>
    Unlink,

    Write,

    Truncate,

    /// <summary>What was written to the file is on the disk.</summary>
    Sync,

    /// <summary>The names in the directory are on the disk.</summary>
    SyncDirectory,

    /// <summary>A line about an answer, or about code that runs. All of it happened before.</summary>
    Said,
}
