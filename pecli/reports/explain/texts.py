"""Every sentence of `pecli explain`, in each language under the same key. Braces are filled in."""

from __future__ import annotations

ENGLISH = {
    "parameters": "Parameters",
    "encoding": "encoding",
    "formula": "formula",
    "length": "positions",
    "dimensions": "dimensions",
    "positions": "Positions",
    "frequencies": "Frequencies (of sinusoidal: the fourth article's div_term)",
    "pair": "pair j",
    "column": "column",
    "frequency": "ω, rad/position",
    "wavelength": "2π/ω, positions",
    "distinct": "different values",
    "changes": "changes",
    "turning": "Pair j turns by the angle ωj·p. A fast pair tells neighbours apart, a slow one far positions.",
    "div_term": (
        "The article prints div_term 1, 0.3162, 0.1, 0.0316, which is 10000^(-i/8); its formula and its code are "
        "10000^(-2i/8) = 1, 0.1, 0.01, 0.001, as here (the printed ones are those of --base 100)."
    ),
    "variation": "How fast each column varies",
    "no_frequencies": "This encoding has no frequencies. How often a column changes from one position to the next:",
    "learned": "Its numbers are learned, not calculated: there is no formula, and no row beyond the last one.",
    "table": "The table, shape ({length}, {dimensions})",
    "table_said": "Under the number of each column stands its formula.",
    "entry": "One entry with its numbers put in",
    "words": "Word vectors, shape ({words}, {dimensions})",
    "article": "我 喜欢 你 (I like you), with the article's numbers:",
    "cut": "我 喜欢 你 (I like you), with the first {dimensions} of the article's 8 numbers each:",
    "made_up": "我 喜欢 你 (I like you), with random numbers: the article has 8 a word, here d is {dimensions}.",
    "file": "From {file}:",
    "rows": "Their position encodings, shape ({words}, {dimensions})",
    "add": "Added: word vector + position encoding",
    "sum": "Their sum, ({words}, {dimensions}) + ({words}, {dimensions}) → ({words}, {dimensions})",
    "rotate": "Turned: f(x, p) = R_p x, nothing is added",
    "pair_up": "Pairs of words",
    "offsets": "Nothing is added to a word. The pair of word i and word j gets the row of the offset i - j:",
    "add_done": "Every vector now carries its position: the same words in another order give other vectors.",
    "rotate_done": "The product of two turned vectors depends on their words and on the offset of their positions.",
    "offsets_done": "Every pair at one offset gets the same row, wherever it stands in the sequence.",
    "own": "Your own words, each with random numbers (the same for the same word):",
    "product": "The product of query and key",
    "product_said": (
        "Query {query} at position m, key {other} at position n. At one offset m - n the product is the same:"
    ),
    "product_done": "Both are turned by the same when both move on: it depends on m - n alone.",
    "offset": "m - n",
    "dot": "<f(q, m), f(k, n)>",
    "left_out": "left out: {n} of {all}; --rows prints more",
}
CHINESE = {
    "parameters": "参数",
    "encoding": "编码",
    "formula": "公式",
    "length": "位置数",
    "dimensions": "维度",
    "positions": "位置索引",
    "frequencies": "频率（对 sinusoidal 即第四篇文章的 div_term）",
    "pair": "第 j 对",
    "column": "列",
    "frequency": "ω，弧度/位置",
    "wavelength": "2π/ω，位置数",
    "distinct": "不同的值",
    "changes": "变化次数",
    "turning": "第 j 对维度转过的角度是 ωj·p。转得快的一对区分相邻位置，转得慢的一对区分相距很远的位置。",
    "div_term": (
        "文中印出的 div_term 是 1, 0.3162, 0.1, 0.0316，即 10000^(-i/8)；而文中的公式和代码是 "
        "10000^(-2i/8) = 1, 0.1, 0.01, 0.001，与此处一致（印出的数对应 --base 100）。"
    ),
    "variation": "每一列变化的快慢",
    "no_frequencies": "这种编码没有频率。下表是每一列从一个位置到下一个位置变化了多少次：",
    "learned": "这些数是学出来的，不是算出来的：没有公式，最后一行之后也没有更多的行。",
    "table": "位置编码矩阵，形状 ({length}, {dimensions})",
    "table_said": "每一列的列号下面是这一列的公式。",
    "entry": "代入数字，算出一个元素",
    "words": "词向量，形状 ({words}, {dimensions})",
    "article": "“我 喜欢 你”三个词，数值取自文中：",
    "cut": "“我 喜欢 你”三个词，各取文中 8 个数的前 {dimensions} 个：",
    "made_up": "“我 喜欢 你”三个词，数值是随机数：文中每个词有 8 个数，这里 d 是 {dimensions}。",
    "file": "取自 {file}：",
    "rows": "它们的位置编码，形状 ({words}, {dimensions})",
    "add": "相加：词向量 + 位置编码",
    "sum": "两者之和，({words}, {dimensions}) + ({words}, {dimensions}) → ({words}, {dimensions})",
    "rotate": "旋转：f(x, p) = R_p x，不做加法",
    "pair_up": "成对的词",
    "offsets": "不加到单个词上。第 i 个词与第 j 个词这一对，取偏移 i - j 的那一行：",
    "add_done": "每个词的向量都带上了位置信息：同样的词换一个顺序，得到的向量就不同。",
    "rotate_done": "旋转后两个向量的内积只取决于这两个词以及它们的位置之差。",
    "offsets_done": "偏移相同的每一对词都取同一行，无论它们在序列的什么地方。",
    "own": "自己的词，各取随机数（同一个词总是同样的数）：",
    "product": "查询与键的内积",
    "product_said": "查询 {query} 转到位置 m，键 {other} 转到位置 n。位置差 m - n 相同，内积就相同：",
    "product_done": "两者一同移动时转过的角度相同，所以内积只取决于 m - n。",
    "offset": "m - n",
    "dot": "<f(q, m), f(k, n)>",
    "left_out": "略去 {all} 行中的 {n} 行；--rows 可以打印更多",
}
TEXTS = {"en": ENGLISH, "zh": CHINESE}


def languages() -> tuple[str, ...]:
    """The languages that there are."""
    return tuple(TEXTS)
