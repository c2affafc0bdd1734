namespace Weir.Lab.Contenders.Work;

/// <summary>The enumeration of document 004's comparison.</summary>
public enum Fruit
{
    None = 0,
    Apple = 1,
    Orange = 2,
    Grape = 4,
}
