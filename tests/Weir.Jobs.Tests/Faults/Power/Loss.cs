namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>What of that which was not synced the disk does not have.</summary>
internal enum Loss
{
    /// <summary>As after a kill.</summary>
    Nothing,

    Everything,

    /// <summary>What came after some call.</summary>
    Later,

    /// <summary>Any calls.</summary>
    Calls,

    /// <summary>Any sectors of 512 bytes, each from some moment on.</summary>
    Sectors,

    /// <summary>Any pages of 4 KB, each from some moment on.</summary>
    Pages,

    /// <summary>What came after some sector of some call.</summary>
    Torn,
}
