namespace Weir;

/// <summary>Why a running job is to stop. It ends when its code has ended. The numbers are stored.</summary>
public enum JobStop
{
    /// <summary>It is not to stop.</summary>
    None = 0,

    /// <summary>It was cancelled. Goes before the timeout.</summary>
    Cancel = 1,

    /// <summary>It took longer than its timeout.</summary>
    Timeout = 2,
}
