namespace Weir.Execution.Processes;

/// <summary>A pool as the host's room sees it. Called on the thread pool and without a lock.</summary>
internal interface IRoomGuest
{
    /// <summary>Whether calls wait, or workers of the minimum are missing.</summary>
    bool IsPressed { get; }

    /// <summary>There may be room again: ask for what is still wanted.</summary>
    void Tick();

    /// <summary>Others need the room: lets idle workers above the minimum go.</summary>
    /// <returns>How many.</returns>
    int Shrink(int most);

    /// <summary>There is no room for so many workers, and why.</summary>
    void TellShort(int wanted, string bound);

    /// <summary>The host's look at the machine failed in a way that nobody foresaw.</summary>
    void ReportFailure(Exception failure);

    /// <summary>Adds what each worker that serves holds of memory, in bytes.</summary>
    void AddMemories(List<long> memories);
}
