namespace Weir;

/// <summary>Where an operation runs.</summary>
public enum Placement
{
    /// <summary>On the caller's own flow.</summary>
    Inline = 0,

    /// <summary>On a thread of the lane.</summary>
    Lane = 1,

    /// <summary>In a worker process of a pool.</summary>
    Isolated = 2,
}
