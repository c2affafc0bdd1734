namespace Weir.Jobs.Rules;

/// <summary>Why a running job is to stop. It ends when its code has ended. The numbers are stored.</summary>
internal enum JobStop : byte
{
    None = 0,

    /// <summary>Someone asked for it. Goes before the timeout.</summary>
    Cancel = 1,

    /// <summary>It took longer than its timeout.</summary>
    Timeout = 2,
}
